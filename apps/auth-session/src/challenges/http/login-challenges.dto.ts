import { IsString, Length, MaxLength } from 'class-validator';

export class LoginChallengesQuery {
  @IsString()
  @Length(1, 256)
  identity!: string;

  /** URL-encoded base64 of 64 bytes encrypted to the service key (R-4.1-3). */
  @IsString()
  @MaxLength(2_048)
  clientChallenge!: string;
}
