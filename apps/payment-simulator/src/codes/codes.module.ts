import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CodeUrls } from './code-urls';
import { CodeStore } from './codes.ports';
import { CreateCodeService } from './create-code.service';
import { CodesController } from './http/codes.controller';
import { LookupController } from './http/lookup.controller';
import { PortalSandboxController } from './http/portal-sandbox.controller';
import { SimulationsController } from './http/simulations.controller';
import { PayCodeService } from './pay-code.service';
import { PaymentCodeEntity } from './persistence/payment-code.entity';
import { PostgresCodeStore } from './persistence/postgres-code.store';
import { PortalSandboxService } from './portal-sandbox.service';
import { ReadCodesService } from './read-codes.service';
import { SimulateEventService } from './simulate-event.service';

export interface CodesOptions {
  publicBaseUrl: string;
  /** Exports what reads and completes transactions. */
  transactions: DynamicModule;
}

/** Payment codes: made by merchants, read by wallets, paid by people. */
@Module({})
export class CodesModule {
  static register({ publicBaseUrl, transactions }: CodesOptions): DynamicModule {
    return {
      module: CodesModule,
      imports: [transactions, TypeOrmModule.forFeature([PaymentCodeEntity])],
      controllers: [CodesController, SimulationsController, LookupController, PortalSandboxController],
      providers: [
        { provide: CodeUrls, useFactory: () => new CodeUrls(publicBaseUrl) },
        { provide: CodeStore, useClass: PostgresCodeStore },
        CreateCodeService,
        ReadCodesService,
        PayCodeService,
        SimulateEventService,
        PortalSandboxService,
      ],
      exports: [ReadCodesService, PayCodeService, CodeUrls],
    };
  }
}
