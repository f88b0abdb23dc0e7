import { randomInt } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MerchantAccess, MerchantDirectory } from '../merchants';
import { CompleteTransactions, ReadTransactions, TransactionsModule } from '../transactions';
import { CodeUrls } from './code-urls';
import { CodeStore } from './codes.ports';
import { CreateCode } from './create-code.service';
import { CodesController } from './http/codes.controller';
import { LookupController } from './http/lookup.controller';
import { PayCode } from './pay-code.service';
import { PaymentCodeEntity } from './persistence/payment-code.entity';
import { PostgresCodeStore } from './persistence/postgres-code.store';
import { ReadCodes } from './read-codes.service';

export interface CodesSettings {
  publicBaseUrl: string;
  transactions: ReturnType<typeof TransactionsModule.withKeys>;
}

/** Payment codes: made by merchants, read by wallets, paid by people. */
@Module({})
export class CodesModule {
  static withSettings({ publicBaseUrl, transactions }: CodesSettings): DynamicModule {
    return {
      module: CodesModule,
      imports: [transactions, TypeOrmModule.forFeature([PaymentCodeEntity])],
      controllers: [CodesController, LookupController],
      providers: [
        { provide: CodeUrls, useFactory: () => new CodeUrls(publicBaseUrl) },
        { provide: CodeStore, useClass: PostgresCodeStore },
        {
          provide: CreateCode,
          inject: [CodeStore, MerchantAccess],
          useFactory: (codes: CodeStore, merchants: MerchantAccess) =>
            new CreateCode({ codes, merchants, randomInteger: max => randomInt(max), nowMs: () => Date.now() }),
        },
        { provide: ReadCodes, inject: [CodeStore, MerchantAccess, MerchantDirectory, ReadTransactions], useFactory: readCodesOf },
        {
          provide: PayCode,
          inject: [ReadCodes, CompleteTransactions],
          useFactory: (codes: ReadCodes, complete: CompleteTransactions) => new PayCode({ codes, complete }),
        },
      ],
      exports: [ReadCodes, PayCode, CodeUrls],
    };
  }
}

function readCodesOf(
  ...[codes, access, merchants, transactions]: [CodeStore, MerchantAccess, MerchantDirectory, ReadTransactions]
) {
  return new ReadCodes({ codes, access, merchants, transactions });
}
