import { applyDecorators, Body, Controller, HttpCode, ParseArrayPipe, Post } from '@nestjs/common';
import { type ActingPerson, type InvitedPerson, OfInvitation, OfPerson } from '@paycode/access';
import {
  type Addressee,
  alertBrowsers,
  type AlertDevice,
  type AlertKind,
  alertKinds,
  type AlertSum,
  alertSumsMax,
  alertSystems,
  type ChangeNotice,
  type ChangeNoticeKind,
  changeNoticeKinds,
  type FourEyesKind,
  fourEyesKinds,
  type InvitationReason,
  invitationReasons,
  IsId,
  type MailedStatement,
  type PortalAlert,
  type PortalFourEyesNotice,
  type PortalInvitation,
  type StatementPart,
  type StatementSums,
  statementTotalsMax,
} from '@paycode/dto';
import { type Language, languages, type ReadsIn } from '@paycode/dto/people';
import { isDataFault } from '@paycode/persistence';
import { DomainError, invalidField, IsInstantText } from '@paycode/service-runtime';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsDefined,
  IsEmail,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsTimeZone,
  IsUUID,
  Length,
  Matches,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { QueueMessages } from './queue-messages';

class ReaderBody implements Partial<ReadsIn> {
  @IsOptional()
  @IsIn(languages)
  language?: Language | null;

  @IsOptional()
  @IsTimeZone()
  timeZone?: string | null;
}

class AddresseeBody extends ReaderBody implements Addressee {
  @IsEmail({ require_tld: false })
  email!: string;
}

export class ChangeNoticeBody implements ChangeNotice {
  @IsUUID()
  noticeId!: string;

  @IsId()
  merchantId!: number;

  @IsIn(changeNoticeKinds)
  kind!: ChangeNoticeKind;

  @IsArray()
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => AddresseeBody)
  to!: AddresseeBody[];

  /** As audit rows have it, with the service through which a person acted. */
  @IsString()
  @Length(1, 300)
  actor!: string;

  @IsInstantText()
  occurredAt!: string;
}

export class InvitationBody extends ReaderBody implements PortalInvitation {
  @IsIn(invitationReasons)
  reason!: InvitationReason;
}

class NamedAddresseeBody extends AddresseeBody {
  @IsString()
  @Length(1, 100)
  name!: string;
}

export class FourEyesBody implements PortalFourEyesNotice {
  @IsUUID()
  requestId!: string;

  @IsIn(fourEyesKinds)
  kind!: FourEyesKind;

  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => NamedAddresseeBody)
  to!: NamedAddresseeBody[];

  @IsInstantText()
  expiresAt!: string;
}

const amountForm = /^\d{1,20}(\.\d{1,4})?$/;

class AlertSumBody implements AlertSum {
  @Matches(/^[A-Z]{3}$/)
  currencyCode!: string;

  @Matches(amountForm)
  amount!: string;
}

class AlertDeviceBody implements AlertDevice {
  @IsIn(alertBrowsers)
  browser!: AlertDevice['browser'];

  @IsIn(alertSystems)
  system!: AlertDevice['system'];

  @Matches(/^[0-9a-f.:]{0,14}$/)
  addressStart!: string;
}

class StatementPartBody implements StatementPart {
  @IsInt()
  @Min(0)
  count!: number;

  @Matches(amountForm)
  amount!: string;
}

const IsPart = () =>
  applyDecorators(
    IsDefined(),
    ValidateNested(),
    Type(() => StatementPartBody),
  );

class StatementSumsBody implements StatementSums {
  @Matches(/^[A-Z]{3}$/)
  currencyCode!: string;

  @IsPart()
  paid!: StatementPartBody;

  @IsPart()
  settled!: StatementPartBody;

  @IsPart()
  reversed!: StatementPartBody;

  @IsPart()
  waiting!: StatementPartBody;

  @IsPart()
  refunded!: StatementPartBody;

  @Matches(amountForm)
  tips!: string;
}

class MailedStatementBody implements MailedStatement {
  @IsISO8601({ strict: true })
  @Matches(/^\d{4}-\d\d(-\d\d)?$/)
  period!: string;

  @Matches(/^[\w+\-/:]{1,64}$/)
  timeZone!: string;

  @IsArray()
  @ArrayMaxSize(statementTotalsMax)
  @ValidateNested({ each: true })
  @Type(() => StatementSumsBody)
  totals!: StatementSumsBody[];
}

export class AlertBody implements PortalAlert {
  @IsIn(alertKinds)
  kind!: AlertKind;

  @IsOptional()
  @IsId()
  merchantId!: number | null;

  @IsInt()
  @Min(0)
  payments!: number;

  @IsInstantText()
  sinceAt!: string;

  @IsArray()
  @ArrayMaxSize(alertSumsMax)
  @ValidateNested({ each: true })
  @Type(() => AlertSumBody)
  sums!: AlertSumBody[];

  @IsOptional()
  @ValidateNested()
  @Type(() => AlertDeviceBody)
  device?: AlertDeviceBody;

  @ValidateIf(({ kind, statement }: AlertBody) => kind === 'STATEMENT' || statement !== undefined)
  @IsDefined()
  @ValidateNested()
  @Type(() => MailedStatementBody)
  statement?: MailedStatementBody;
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

  /** Mails a person the link by which they choose a password for the portal, to the address that auth-session found. */
  @Post('invitations')
  @HttpCode(204)
  async invite(@Body() invitation: InvitationBody, @OfInvitation() invited: InvitedPerson): Promise<void> {
    await this.queueMessages.queueInvitation(invited, invitation);
  }

  /** Mails a person of the portal what happened, in words of this service, to the address that auth-session found. */
  @Post('alerts')
  @HttpCode(204)
  async alert(@Body() alert: AlertBody, @OfInvitation() alerted: InvitedPerson): Promise<void> {
    await this.queueMessages.queueAlert(alert, alerted);
  }

  /** Mails those who can confirm what the person asks for. */
  @Post('four-eyes')
  @HttpCode(204)
  async askSecondPerson(@Body() request: FourEyesBody, @OfPerson() asker: ActingPerson): Promise<void> {
    await this.queueMessages.queueFourEyes(request, asker);
  }
}
