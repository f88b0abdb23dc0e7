import { Module } from '@nestjs/common';
import { Authenticator } from './authorize.ports';
import { AuthorizeService } from './authorize.service';
import { AuthorizeController } from './http/authorize.controller';
import { IdentityAssertions } from './identity-assertions';
import { BasicStrategy } from './passport/basic.strategy';
import { BearerStrategy } from './passport/bearer.strategy';
import { PassportAuthenticator } from './passport/passport-authenticator';
import { VerifyPasswordService } from './verify-password.service';

@Module({
  controllers: [AuthorizeController],
  providers: [
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
