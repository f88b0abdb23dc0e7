import { Body, Controller, HttpCode, ParseArrayPipe, Post } from '@nestjs/common';
import {
  type ChangeNotice,
  type ChangeNoticeKind,
  changeNoticeKinds,
  type InvitationReason,
  invitationReasons,
  IsId,
  type PortalFourEyesNotice,
  type PortalInvitation,
} from '@paycode/dto';
import { isDataFault } from '@paycode/persistence';
import { DomainError, invalidField, IsInstantText } from '@paycode/service-runtime';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsEmail,
  IsIn,
  IsString,
  IsUrl,
  IsUUID,
  Length,
  ValidateNested,
} from 'class-validator';
import { QueueMessages } from './queue-messages';

export class ChangeNoticeBody implements ChangeNotice {
  @IsUUID()
  noticeId!: string;

  @IsId()
  merchantId!: number;

  @IsIn(changeNoticeKinds)
  kind!: ChangeNoticeKind;

  @IsArray()
  @ArrayMaxSize(100)
  @IsEmail({ require_tld: false }, { each: true })
  emails!: string[];

  /** As audit rows have it, with the service through which a person acted. */
  @IsString()
  @Length(1, 300)
  actor!: string;

  @IsInstantText()
  occurredAt!: string;
}

export class InvitationBody implements PortalInvitation {
  @IsUUID()
  invitationId!: string;

  @IsEmail({ require_tld: false })
  email!: string;

  @IsUrl({ require_tld: false, protocols: ['https'], require_protocol: true })
  @Length(1, 500)
  link!: string;

  @IsString()
  @Length(1, 200)
  tenant!: string;

  @IsIn(invitationReasons)
  reason!: InvitationReason;

  @IsInstantText()
  expiresAt!: string;
}

class AddresseeBody {
  @IsEmail({ require_tld: false })
  email!: string;

  @IsString()
  @Length(1, 100)
  name!: string;
}

export class FourEyesBody implements PortalFourEyesNotice {
  @IsUUID()
  requestId!: string;

  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => AddresseeBody)
  to!: AddresseeBody[];

  @IsString()
  @Length(1, 200)
  askedBy!: string;

  @IsString()
  @Length(1, 200)
  what!: string;

  @IsString()
  @Length(1, 200)
  tenant!: string;

  @IsUrl({ require_tld: false, protocols: ['https'], require_protocol: true })
  @Length(1, 500)
  link!: string;

  @IsInstantText()
  expiresAt!: string;
}

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

  /** Mails a person the link by which they choose a password for the portal. */
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
