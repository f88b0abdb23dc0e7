import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { PortalAccount, PortalAnswer } from '@paycode/dto';
import { answered, DomainError, invalidField } from '@paycode/service-runtime';
import { InternalOrigin, type Origin } from '../../audit';
import { ChangeCredentialsService } from '../change-credentials.service';
import type { Account } from '../domain/account';
import { nameAccount } from '../domain/account-name';
import { viewOf } from './account-view';
import { PortalAccountBody } from './portal-accounts.dto';

type Answer<T> = Promise<PortalAnswer<T>>;

/**
 * What people of a merchant or PSP do in the portal with the account of their programs. The portal has checked whose it is; who asked is
 * written down here.
 */
@Controller('internal/portal/accounts')
export class PortalAccountsController {
  constructor(private readonly credentials: ChangeCredentialsService) {}

  @Post('show')
  @HttpCode(200)
  show(@Body() body: PortalAccountBody): Answer<PortalAccount> {
    return answered(async () => shown(await this.credentials.find(usernameOf(body))));
  }

  @Post('new-password')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  newPassword(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<{ apiPassword: string }> {
    return answered(async () => ({
      apiPassword: await this.credentials.generatePassword(usernameOf(body), askedBy(body, origin)),
    }));
  }

  @Post('set-public-key')
  @HttpCode(200)
  @RouteConfig({ multilineFields: new Set(['publicKey']) })
  setPublicKey(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<PortalAccount> {
    return answered(async () => {
      if (!body.publicKey) throw invalidField('publicKey', 'is missing');
      return shown(await this.credentials.registerPublicKey(usernameOf(body), body.publicKey, askedBy(body, origin)));
    });
  }
}

function askedBy({ actor }: PortalAccountBody, origin: Origin): Origin {
  return { ...origin, actor: `portal ${actor}` };
}

function usernameOf({ type, ownerId }: PortalAccountBody): string {
  const name = nameAccount({ type, id: ownerId });
  if (!name.ok) throw new DomainError({ status: 404, reason: 'NO_SUCH_ACCOUNT', message: 'no such account' });
  return name.username;
}

function shown(account: Account): PortalAccount {
  const { username, mode, hasPassword, challengeRequired, publicKeySha256, passwordChangedAt } = viewOf(account);
  return { username, mode, hasPassword, challengeRequired, publicKeySha256, passwordChangedAt };
}
