import { type ChangeNotice, type ChangeNoticeKind, changeNoticeKinds } from '@paycode/dto';
import { ArrayMaxSize, IsArray, IsEmail, IsIn, IsInt, IsISO8601, IsString, IsUUID, Length, Max, Min } from 'class-validator';

export class ChangeNoticeBody implements ChangeNotice {
  @IsUUID()
  noticeId!: string;

  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  merchantId!: number;

  @IsIn(changeNoticeKinds)
  kind!: ChangeNoticeKind;

  @IsArray()
  @ArrayMaxSize(100)
  @IsEmail({ require_tld: false }, { each: true })
  emails!: string[];

  @IsString()
  @Length(1, 200)
  actor!: string;

  @IsISO8601()
  occurredAt!: string;
}
