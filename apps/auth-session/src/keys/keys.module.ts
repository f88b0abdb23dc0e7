import { type DynamicModule, Module } from '@nestjs/common';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { DataSource } from 'typeorm';
import { Clock } from '@paycode/timing';
import { KeysController } from './http/keys.controller';
import { KeyStore } from './keys.ports';
import { PostgresKeyStore } from './persistence/postgres-key.store';
import { ServiceKeys } from './service-keys';

@Module({})
export class KeysModule {
  /** `keyEncryptionKeys` as in KEY_ENCRYPTION_KEYS; `signedForMs`: longest validity of a token that a signing key signs. */
  static register({ keyEncryptionKeys, signedForMs }: { keyEncryptionKeys: string; signedForMs: number }): DynamicModule {
    const sealer = new PayloadSealer(KeyRing.parse(keyEncryptionKeys));
    return {
      module: KeysModule,
      global: true,
      controllers: [KeysController],
      providers: [
        {
          provide: KeyStore,
          useFactory: (dataSource: DataSource, clock: Clock) => new PostgresKeyStore({ dataSource, sealer, clock }),
          inject: [DataSource, Clock],
        },
        { provide: ServiceKeys, useFactory: (store: KeyStore) => new ServiceKeys(store, signedForMs), inject: [KeyStore] },
      ],
      exports: [ServiceKeys],
    };
  }
}
