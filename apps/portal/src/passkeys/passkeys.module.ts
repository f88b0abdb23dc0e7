import { type DynamicModule, Global, Module } from '@nestjs/common';
import { KeyRing } from '@paycode/crypto';
import { Ceremonies } from './ceremonies';
import { PurgeChallengesJob } from './jobs/purge-challenges.job';
import { PasskeyStore } from './passkeys.ports';
import { PostgresPasskeyStore } from './persistence/postgres-passkey.store';
import { WebAuthn } from './web-authn';

export interface PasskeysOptions {
  /** Base URL at which browsers reach the gateway: passkeys are good for its host alone. */
  publicBaseUrl: string;
  /** Keys that seal what a browser was asked, `kid:base64,kid:base64` of 32 bytes each. */
  keyEncryptionKeys: string;
}

@Global()
@Module({})
export class PasskeysModule {
  static register({ publicBaseUrl, keyEncryptionKeys }: PasskeysOptions): DynamicModule {
    return {
      module: PasskeysModule,
      providers: [
        { provide: PasskeyStore, useClass: PostgresPasskeyStore },
        { provide: Ceremonies, useFactory: () => new Ceremonies(KeyRing.parse(keyEncryptionKeys)) },
        { provide: WebAuthn, useFactory: () => new WebAuthn(new URL(publicBaseUrl).origin) },
        PurgeChallengesJob,
      ],
      exports: [PasskeyStore, Ceremonies, WebAuthn],
    };
  }
}
