import { type DynamicModule, Module } from '@nestjs/common';
import { GuessStore, PostgresGuessStore } from '@paycode/guessing';
import { ChoosePasswordService } from './choose-password.service';
import { CurrentPassword } from './current-password';
import { SecurityController } from './http/security.controller';
import { ENVIRONMENT, SignInController } from './http/sign-in.controller';
import { GuessingWatch } from './guessing-watch';
import { SecondFactorService } from './second-factor.service';
import { SessionEnds } from './session-ends';
import { SessionOpener } from './session.opener';
import { SignInLimiter, type SignInRules } from './sign-in-limiter';
import { SignInService } from './sign-in.service';

export interface SignInOptions extends SignInRules {
  environment: string;
}

@Module({})
export class SignInModule {
  static register({ environment, ...rules }: SignInOptions): DynamicModule {
    return {
      module: SignInModule,
      global: true,
      controllers: [SignInController, SecurityController],
      providers: [
        { provide: GuessStore, useClass: PostgresGuessStore },
        GuessingWatch,
        {
          provide: SignInLimiter,
          inject: [GuessStore, GuessingWatch],
          useFactory: (store: GuessStore, watch: GuessingWatch) => new SignInLimiter(store, watch, rules),
        },
        { provide: ENVIRONMENT, useValue: environment },
        SessionEnds,
        SessionOpener,
        SignInService,
        SecondFactorService,
        ChoosePasswordService,
        CurrentPassword,
      ],
      exports: [CurrentPassword],
    };
  }
}
