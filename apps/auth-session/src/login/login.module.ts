import { type DynamicModule, Module } from '@nestjs/common';
import { EndSessionService } from './end-session.service';
import { AuthenticationController } from './http/authentication.controller';
import { LoginChecks } from './login-checks';
import { LoginService } from './login.service';
import { RenewSessionService } from './renew-session.service';

@Module({})
export class LoginModule {
  /** `challenges` exports the ChallengeBook. */
  static register({ challenges }: { challenges: DynamicModule }): DynamicModule {
    return {
      module: LoginModule,
      imports: [challenges],
      controllers: [AuthenticationController],
      providers: [LoginService, LoginChecks, RenewSessionService, EndSessionService],
    };
  }
}
