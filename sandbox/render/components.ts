import { type APIMessageTopLevelComponent, ComponentType } from "discord-api-types/v10";

export type ResolveMedia = (url: string) => object;

type Node = Record<string, unknown>;

/** Components as Discord returns them: all with ids, defaults and resolved media. */
export function toApiComponents(
  components: readonly APIMessageTopLevelComponent[],
  resolveMedia: ResolveMedia,
): APIMessageTopLevelComponent[] {
  let lastId = 0;
  const complete = (node: Node): Node => {
    lastId = typeof node["id"] === "number" && node["id"] > 0 ? node["id"] : lastId + 1;
    const whole: Node = { ...defaultsOf(node["type"]), ...node, id: lastId };
    if (Array.isArray(whole["components"])) whole["components"] = whole["components"].map(complete);
    for (const child of ["accessory", "component"]) if (isNode(whole[child])) whole[child] = complete(whole[child]);
    for (const media of ["media", "file"]) if (isNode(whole[media])) whole[media] = unfurl(whole[media], resolveMedia);
    if (Array.isArray(whole["items"])) whole["items"] = whole["items"].map((item) => galleryItem(item, resolveMedia));
    return whole;
  };
  return components.map((component) => complete({ ...component }) as unknown as APIMessageTopLevelComponent);
}

/** Every component of a tree, containers and what they contain. */
export function* walkComponents(components: readonly unknown[]): Generator<Node> {
  for (const node of components) {
    if (!isNode(node)) continue;
    yield node;
    if (Array.isArray(node["components"])) yield* walkComponents(node["components"]);
    for (const child of ["accessory", "component"]) if (isNode(node[child])) yield* walkComponents([node[child]]);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function defaultsOf(type: unknown): Node {
  switch (type) {
    case ComponentType.Container:
      return { accent_color: null, spoiler: false };
    case ComponentType.Separator:
      return { spacing: 1, divider: true };
    case ComponentType.Thumbnail:
      return { description: null, spoiler: false };
    case ComponentType.File:
      return { name: null, size: null, spoiler: false };
    case ComponentType.StringSelect:
    case ComponentType.UserSelect:
    case ComponentType.RoleSelect:
    case ComponentType.MentionableSelect:
    case ComponentType.ChannelSelect:
      return { min_values: 1, max_values: 1 };
    default:
      return {};
  }
}

function unfurl(media: Node, resolveMedia: ResolveMedia): Node {
  const url = String(media["url"] ?? "");
  return { id: "0", url, proxy_url: url, ...resolveMedia(url) };
}

function galleryItem(item: unknown, resolveMedia: ResolveMedia): unknown {
  if (!isNode(item) || !isNode(item["media"])) return item;
  return { description: null, spoiler: false, ...item, media: unfurl(item["media"], resolveMedia) };
}
