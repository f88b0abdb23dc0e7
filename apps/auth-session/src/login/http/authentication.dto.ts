import { IsOptional, IsString, Length, Matches, MaxLength, ValidateIf } from 'class-validator';

const tokenCharsMax = 8_192;

/** One challenge field without the other would be an ambiguous downgrade, so both are required when one is present. */
const namesChallenge = (body: LoginBody) =>
  body.base64EncodedChallengeHash !== undefined || body.base64EncodedChallengeResponse !== undefined;

export class LoginBody {
  /** No account name contains a control character, so refusing one as malformed reveals nothing about an account (R-5.1-2). */
  @IsString()
  @Length(1, 256)
  @Matches(/^\P{Cc}*$/u, { message: 'identity must not hold control characters' })
  identity!: string;

  @IsString()
  @Length(1, 1_024)
  password!: string;

  /** base64 SHA-256 of the encrypted server challenge (R-4.1-5). */
  @ValidateIf(namesChallenge)
  @IsString()
  @MaxLength(256)
  base64EncodedChallengeHash?: string;

  /** base64 SHA-256 of the decrypted server challenge (R-4.1-6). */
  @ValidateIf(namesChallenge)
  @IsString()
  @MaxLength(256)
  base64EncodedChallengeResponse?: string;
}

export class RenewBody {
  @IsString()
  @Length(1, tokenCharsMax)
  jwt!: string;
}

export class LogoutBody {
  @IsOptional()
  @IsString()
  @MaxLength(tokenCharsMax)
  jwt?: string;
}
