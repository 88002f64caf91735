import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { Log } from "../../ports/log.ts";
import type { ActorSession } from "../kit/actor-session.ts";
import { explain } from "../kit/explain.ts";
import type { ResourceFeatures } from "./features.ts";

const PLACE = /^earshot:\/\/(?:channel|thread)\/(\d{1,20})$/;
const MESSAGE = /^earshot:\/\/message\/(\d{1,20})\/(\d{1,20})$/;
/** The time span is percent-encoded. */
const SUMMARY = /^earshot:\/\/summary\/(\d{1,20})\/((?:[\w.~-]|%20){1,100})$/;
const PRIVACY = "earshot://privacy";
const MIME_TYPE = "text/plain";

/**
 * Channels and messages by address, read through the gate's tools. They are not listed, because a list of channels counts as read, and
 * would narrow later answers before the first question.
 */
export function createResourceFeatures(actorSession: ActorSession, log: Log): ResourceFeatures {
  async function read(uri: string, load: () => Promise<{ readonly text: string | null }>) {
    try {
      const { text } = await load();
      return { contents: [{ uri, mimeType: MIME_TYPE, text: text ?? "" }] };
    } catch (error) {
      const { code, message } = explain(error, { log, what: "a resource could not be read", fields: { uri } });
      if (code === "not_found") throw new ResourceNotFoundError(uri, message);
      throw new ProtocolError(ProtocolErrorCode.InternalError, message, { code });
    }
  }

  return {
    list: [
      {
        name: "privacy",
        uri: PRIVACY,
        description: "Whether what this person writes is used, what is kept, and what they can do",
        mimeType: MIME_TYPE,
      },
    ],
    templates: [
      template("channel", "{id}", "The latest messages of a channel"),
      template("thread", "{id}", "The latest messages of a thread"),
      template("message", "{channel}/{message}", "A message with what was said around it"),
      template("summary", "{channel}/{timeframe}", "What was said in a channel in short, such as today or past%20week"),
    ],
    read(uri, context) {
      if (uri === PRIVACY) return read(uri, () => actorSession.showPrivacy());
      const call = toCall(uri);
      return call && read(uri, () => actorSession.call({ ...call, signal: context.mcpReq.signal }));
    },
  };
}

interface ReadCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

function toCall(uri: string): ReadCall | null {
  const [, place] = PLACE.exec(uri) ?? [];
  if (place) return { name: "discord.channel.messages", args: { channel: place } };
  const [, about, timeframe] = SUMMARY.exec(uri) ?? [];
  if (about && timeframe)
    return { name: "get_channel_summary", args: { channel: about, timeframe: decodeURIComponent(timeframe) } };
  const [, channel, message] = MESSAGE.exec(uri) ?? [];
  if (!channel || !message) return null;
  return {
    name: "get_message_context",
    args: { message_id: `/channels/@me/${channel}/${message}` },
  };
}

function template(name: string, fields: string, description: string) {
  return { name, uriTemplate: `earshot://${name}/${fields}`, description, mimeType: MIME_TYPE };
}
