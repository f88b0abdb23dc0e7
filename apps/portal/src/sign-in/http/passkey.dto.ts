import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';

/** As browsers give bytes: base64url without padding. */
const base64url = (lengthMax: number) => new RegExp(`^[A-Za-z0-9_-]{1,${lengthMax}}$`);
const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

class CeremonyBody {
  /** What came with the options. */
  @IsString()
  @Length(1, 2_000)
  sealed!: string;

  /** Of the passkey. */
  @Matches(base64url(1_400))
  id!: string;

  @Matches(base64url(4_000))
  clientDataJSON!: string;
}

export class AssertionBody extends CeremonyBody {
  @Matches(base64url(4_000))
  authenticatorData!: string;

  @Matches(base64url(2_000))
  signature!: string;

  /** Whose the passkey says it is. */
  @IsOptional()
  @Matches(base64url(100))
  userHandle?: string;
}

export class BeginPasskeyBody {
  /** The own password; not asked for where one has just signed in with it to set up a second factor. */
  @IsOptional()
  @IsString()
  @Length(1, 128)
  current?: string;
}

export class AttestationBody extends CeremonyBody {
  /** As its person calls it. */
  @IsString()
  @Length(1, 60)
  name!: string;

  @Matches(base64url(16_000))
  attestationObject!: string;

  @IsArray()
  @ArrayMaxSize(10)
  @IsIn(transports, { each: true })
  transports!: string[];
}

export class RemovePasskeyBody {
  @IsUUID()
  passkeyId!: string;

  @IsString()
  @Length(1, 128)
  current!: string;
}
