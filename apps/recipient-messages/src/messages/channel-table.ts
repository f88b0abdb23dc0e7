import { type Channel, channels } from '@paycode/dto';
import { emailSenderOf, type SenderOptions, smsSenderOf } from './clients/senders';
import { changeNoticeEmail } from './domain/change-notice-message';
import { fourEyesEmail } from './domain/four-eyes-message';
import { invitationEmail } from './domain/invitation-message';
import { paymentEmail, paymentSms } from './domain/payment-message';
import type { MessageSender } from './messages.ports';
import { type ChannelTexts, OpenChannel } from './open-channel';

/** Definition of a channel in this service. */
interface ChannelDefinition<Text> {
  texts: ChannelTexts<Text>;
  /** undefined: the channel is off. @throws Error when its chosen transport lacks a setting */
  senderOf(options: SenderOptions): MessageSender<Text> | undefined;
}

type Opening = (options: SenderOptions) => OpenChannel | undefined;

const channelTable = {
  EMAIL: opening({
    texts: { ofPayment: paymentEmail, ofChange: changeNoticeEmail, ofInvitation: invitationEmail, ofFourEyes: fourEyesEmail },
    senderOf: emailSenderOf,
  }),
  SMS: opening({ texts: { ofPayment: paymentSms, ofChange: null, ofInvitation: null, ofFourEyes: null }, senderOf: smsSenderOf }),
} satisfies Record<Channel, Opening>;

/** The channels that the options give a sender. */
export function openChannels(options: SenderOptions): Map<Channel, OpenChannel> {
  const opened = channels.map(channel => [channel, channelTable[channel](options)] as const);
  return new Map(opened.flatMap(([channel, open]) => (open ? [[channel, open]] : [])));
}

function opening<Text>({ texts, senderOf }: ChannelDefinition<Text>): Opening {
  return options => {
    const sender = senderOf(options);
    return sender && OpenChannel.over(sender, texts);
  };
}
