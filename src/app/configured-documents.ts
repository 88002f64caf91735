import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { LaidCommunity } from "../../sandbox/index.ts";
import type { Config } from "../config/config.ts";
import type { FolderSetting } from "../documents/document-folder.ts";
import { type OpenDocuments, openDocuments } from "../documents/open-documents.ts";
import type { AudienceRef } from "../domain/audience.ts";
import type { GuildId, RoleId } from "../domain/ids.ts";

type Sample = Pick<LaidCommunity, "guild" | "roles">;

/** The folders that are configured, and in the sample community its handbook. */
export function openDocumentsOf(
  { documents }: Pick<Config, "documents">,
  sample: Sample | null,
): Promise<OpenDocuments> {
  const configured = documents.map(({ folder, name, audience }) => ({ folder, name, audience: toAudience(audience) }));
  const named = new Set(configured.map(({ name }) => name));
  const handbooks = sample ? sampleFolders(sample).filter(({ name }) => !named.has(name)) : [];
  return openDocuments([...configured, ...handbooks]);
}

function toAudience({ server, channel, role }: Config["documents"][number]["audience"]): AudienceRef {
  if (channel !== undefined) return { kind: "channel", id: channel };
  const id = server as GuildId;
  return role === undefined ? { kind: "guild", id } : { kind: "role", guildId: id, id: role };
}

/** One for everybody in the community, one for those who run it. The package holds them, whether it is built or not. */
function sampleFolders({ guild, roles }: Sample): FolderSetting[] {
  const folder = join(dirname(findPackageJSON(import.meta.url) ?? "package.json"), "sample");
  const guildId = guild.id as GuildId;
  const staff = roles.get("staff") as RoleId;
  return [
    { folder: join(folder, "handbook"), name: "handbook", audience: { kind: "guild", id: guildId } },
    { folder: join(folder, "office"), name: "office notes", audience: { kind: "role", guildId, id: staff } },
  ];
}
