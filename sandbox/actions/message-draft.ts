import type { APIEmbed, APIMessageTopLevelComponent } from "discord-api-types/v10";

/** A message to be sent. */
export interface MessageDraft {
  readonly content?: string;
  readonly embeds?: readonly APIEmbed[];
  readonly attachments?: readonly AttachmentDraft[];
  readonly components?: readonly APIMessageTopLevelComponent[];
  readonly allowedMentions?: AllowedMentions;
  readonly reference?: ReferenceDraft;
  readonly stickerIds?: readonly string[];
  readonly poll?: PollDraft;
  readonly flags?: number;
  readonly tts?: boolean;
  readonly nonce?: string | number;
  /** A second message with the same nonce within minutes returns the first instead. */
  readonly enforceNonce?: boolean;
}

/** The changes of an edit. Null clears a field, an absent one stays. */
export interface MessagePatch {
  readonly content?: string | null;
  readonly embeds?: readonly APIEmbed[] | null;
  readonly components?: readonly APIMessageTopLevelComponent[] | null;
  readonly allowedMentions?: AllowedMentions | null;
  readonly flags?: number | null;
  /** Ids of attachments to keep, and new ones. */
  readonly attachments?: readonly (string | AttachmentDraft)[] | null;
}

export interface AttachmentDraft {
  readonly filename: string;
  readonly contentType: string | null;
  readonly bytes: Uint8Array;
  readonly description?: string;
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
  readonly waveform?: string;
}

export type MentionKind = "users" | "roles" | "everyone";

export interface AllowedMentions {
  readonly parse?: readonly MentionKind[];
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
  readonly repliedUser?: boolean;
}

export interface ReferenceDraft {
  /** 0 reply, 1 forward. */
  readonly type?: 0 | 1;
  readonly messageId: string;
  readonly channelId?: string;
  readonly failIfNotExists?: boolean;
}

export interface PollDraft {
  readonly question: string;
  readonly answers: readonly { readonly text: string; readonly emoji?: string }[];
  readonly hours?: number;
  readonly multiselect?: boolean;
}
