import { Body, Controller, HttpCode, ParseArrayPipe, Post } from '@nestjs/common';
import { InternalCallers } from '@paycode/access';
import { QueueMessages } from '../queue-messages.service';
import { ChangeNoticeBody } from './change-notice.dto';

@Controller('internal/recipient-messages')
export class ChangeNoticesController {
  constructor(private readonly queueMessages: QueueMessages) {}

  /** Mails the merchant's recipients about a change of its URL or key (T-15). */
  @Post('notices')
  @HttpCode(204)
  @InternalCallers('notification-config')
  async queue(@Body(new ParseArrayPipe({ items: ChangeNoticeBody })) notices: ChangeNoticeBody[]): Promise<void> {
    await this.queueMessages.queueNotices(notices.slice(0, noticesMax));
  }
}

const noticesMax = 100;
