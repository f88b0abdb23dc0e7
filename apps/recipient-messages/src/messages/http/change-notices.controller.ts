import { Body, Controller, HttpCode, ParseArrayPipe, Post } from '@nestjs/common';
import { isDataFault } from '@paycode/persistence';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { QueueMessages } from '../queue-messages';
import { ChangeNoticeBody } from './change-notice.dto';
import { FourEyesBody } from './four-eyes.dto';
import { InvitationBody } from './invitation.dto';

const noticesMax = 100;

@Controller('internal/recipient-messages')
export class ChangeNoticesController {
  constructor(private readonly queueMessages: QueueMessages) {}

  /** Mails the merchant's recipients about a change of its URL or key (T-15). */
  @Post('notices')
  @HttpCode(204)
  async queue(@Body(new ParseArrayPipe({ items: ChangeNoticeBody })) notices: ChangeNoticeBody[]): Promise<void> {
    if (notices.length > noticesMax) throw invalidField('body', `must have at most ${noticesMax} notices`);
    try {
      await this.queueMessages.queueNotices(notices);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      // The caller sends the notices again in halves, so that only the refused one stays with it (T-29).
      throw new DomainError({ status: 400, reason: 'NOTICE_REFUSED', message: 'a notice cannot be stored', cause: error });
    }
  }

  /** Mails a person the link that lets them into the portal. */
  @Post('invitations')
  @HttpCode(204)
  async invite(@Body() invitation: InvitationBody): Promise<void> {
    await this.queueMessages.queueInvitation(invitation);
  }

  /** Mails those who can confirm what one person of the portal asks for. */
  @Post('four-eyes')
  @HttpCode(204)
  async askSecondPerson(@Body() request: FourEyesBody): Promise<void> {
    await this.queueMessages.queueFourEyes(request);
  }
}
