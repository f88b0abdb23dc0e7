import { type DynamicModule, Module } from '@nestjs/common';
import { ApiPasswordHasher, KeyRing } from '@paycode/crypto';
import { AccountStore } from './accounts.ports';
import { ChangeCredentialsService } from './change-credentials.service';
import { CheckPasswordService } from './check-password.service';
import { CreateAccountService } from './create-account.service';
import { AccountsController } from './http/accounts.controller';
import { PortalAccountsController } from './http/portal-accounts.controller';
import { SourceRule } from './source-rule';
import { PostgresAccountStore } from './persistence/postgres-account.store';

@Module({})
export class AccountsModule {
  /** `peppers` as in PASSWORD_PEPPERS. */
  static register({ peppers }: { peppers: string }): DynamicModule {
    return {
      module: AccountsModule,
      global: true,
      controllers: [AccountsController, PortalAccountsController],
      providers: [
        { provide: AccountStore, useClass: PostgresAccountStore },
        { provide: ApiPasswordHasher, useFactory: () => new ApiPasswordHasher(KeyRing.parse(peppers)) },
        CheckPasswordService,
        CreateAccountService,
        ChangeCredentialsService,
        SourceRule,
      ],
      exports: [AccountStore, CheckPasswordService, SourceRule],
    };
  }
}
