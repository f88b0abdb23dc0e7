/** Names of a channel in code: `PUSH`, `push`, `Push`. */
export interface ChannelNames {
  upper: string;
  lower: string;
  pascal: string;
}
