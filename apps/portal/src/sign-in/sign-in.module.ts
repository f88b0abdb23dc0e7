import { type DynamicModule, Module } from '@nestjs/common';
import { GuessStore, PostgresGuessStore } from '@paycode/guessing';
import { ChoosePasswordService } from './choose-password.service';
import { CurrentPassword } from './current-password';
import { PasskeysController } from './http/passkeys.controller';
import { SecurityController } from './http/security.controller';
import { ENVIRONMENT, SignInController } from './http/sign-in.controller';
import { SsoController } from './http/sso.controller';
import { GuessingWatch } from './guessing-watch';
import { InviteColleagueService } from './invite-colleague.service';
import { OwnPasskeysService } from './own-passkeys.service';
import { PasskeyGuesses } from './passkey-guesses';
import { PasskeySignInService } from './passkey-sign-in.service';
import { SecondFactorChanges } from './second-factor-changes';
import { SecondFactorService } from './second-factor.service';
import { SessionEnds } from './session-ends';
import { SessionOpener } from './session.opener';
import { SignInLimiter, type SignInRules } from './sign-in-limiter';
import { SignInService } from './sign-in.service';
import { SsoPeople } from './sso-people';
import { SsoSignInService } from './sso-sign-in.service';

export interface SignInOptions extends SignInRules {
  environment: string;
}

@Module({})
export class SignInModule {
  static register({ environment, ...rules }: SignInOptions): DynamicModule {
    return {
      module: SignInModule,
      global: true,
      controllers: [SignInController, SecurityController, PasskeysController, SsoController],
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
        InviteColleagueService,
        PasskeyGuesses,
        PasskeySignInService,
        OwnPasskeysService,
        SecondFactorChanges,
        SsoPeople,
        SsoSignInService,
      ],
      exports: [CurrentPassword],
    };
  }
}
