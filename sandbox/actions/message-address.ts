export interface MessageAddress {
  readonly channelId: string;
  readonly messageId: string;
}
