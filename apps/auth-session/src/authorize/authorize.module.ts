import { Module } from '@nestjs/common';
import { Authenticator } from './authorize.ports';
import { AuthorizeService } from './authorize.service';
import { AuthorizeRoute } from './http/authorize.route';
import { IdentityAssertions } from './identity-assertions';
import { BasicStrategy } from './passport/basic.strategy';
import { BearerStrategy } from './passport/bearer.strategy';
import { PassportAuthenticator } from './passport/passport-authenticator';
import { VerifyPasswordService } from './verify-password.service';

@Module({
  providers: [
    AuthorizeRoute,
    AuthorizeService,
    BasicStrategy,
    BearerStrategy,
    IdentityAssertions,
    VerifyPasswordService,
    { provide: Authenticator, useClass: PassportAuthenticator },
  ],
  exports: [AuthorizeService],
})
export class AuthorizeModule {}
