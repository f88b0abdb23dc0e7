import { IsString, Length } from 'class-validator';

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
