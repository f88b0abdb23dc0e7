import { IsString, Length, Matches, MaxLength } from 'class-validator';

export class LoginChallengesQuery {
  /** No account name contains a control character, so refusing one as malformed reveals nothing about an account (R-5.1-2). */
  @IsString()
  @Length(1, 256)
  @Matches(/^\P{Cc}*$/u, { message: 'identity must not hold control characters' })
  identity!: string;

  /** URL-encoded base64 of 64 bytes encrypted to the service key (R-4.1-3). */
  @IsString()
  @MaxLength(2_048)
  clientChallenge!: string;
}
