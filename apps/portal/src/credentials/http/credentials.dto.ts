import { ArrayMaxSize, IsArray, IsBoolean, IsString, IsUUID, Length, Matches, MaxLength } from 'class-validator';

/** The person's own password, so that a stolen session alone changes nothing here (T-52). */
export class CurrentPasswordBody {
  @IsString()
  @Length(1, 200)
  current!: string;
}

export class ClientKeyBody extends CurrentPasswordBody {
  /** Base64 of the X.509 RSA-4096 public key. */
  @IsString()
  @Length(1, 8_192)
  publicKey!: string;
}

export class KeyTrialBody {
  @Matches(/^[A-Za-z0-9_-]{16,64}$/, { message: 'nonce must be 16 to 64 letters and digits' })
  nonce!: string;

  /** Base64; may contain line breaks. */
  @IsString()
  @Length(1, 2_048)
  signature!: string;
}

export class ChallengeRuleBody extends CurrentPasswordBody {
  @IsBoolean()
  challengeRequired!: boolean;
}

export class SourcesBody extends CurrentPasswordBody {
  /** IP addresses and CIDR ranges; an empty list permits every address. */
  @IsArray()
  @ArrayMaxSize(32)
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  sourceAddresses!: string[];
}

export class BearerSwitchBody extends CurrentPasswordBody {
  /** The name of the account, so that nobody switches by a click. */
  @IsString()
  @MaxLength(200)
  typed!: string;
}

export class BearerConfirmBody extends BearerSwitchBody {
  @IsUUID()
  requestId!: string;
}
