import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { ownNameRegistry } from '@paycode/access';
import { BasicStrategy as PassportBasicStrategy } from 'passport-http';
import type { Account } from '../../accounts';
import { VerifyPasswordService } from '../verify-password.service';
import type { PassportRequest } from './passport-request';

/** Basic credentials through passport-http (R-5.1-1). */
@Injectable()
export class BasicStrategy extends PassportStrategy(PassportBasicStrategy) {
  declare name: string;

  constructor(private readonly passwords: VerifyPasswordService) {
    super({ passReqToCallback: true });
  }

  validate(request: PassportRequest, username: string, password: string): Promise<Account> {
    return this.passwords.verify(username, password, request.origin);
  }

  getPassportInstance() {
    return ownNameRegistry('basic');
  }
}
