import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { PortalAccount, PortalAnswer } from '@paycode/dto';
import { answered, invalidField } from '@paycode/service-runtime';
import { InternalOrigin, type Origin } from '../../audit';
import { ChangeCredentialsService } from '../change-credentials.service';
import type { Account } from '../domain/account';
import { isSignedBy, keyTrialText } from '../try-public-key';
import { viewOf } from './account-view';
import { PortalAccountBody } from './portal-accounts.dto';
import { usernameOfTenant } from './username-of-tenant';

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
    return answered(async () => shown(await this.credentials.find(usernameOfTenant(body))));
  }

  @Post('new-password')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  newPassword(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<{ apiPassword: string }> {
    return answered(async () => ({
      apiPassword: await this.credentials.generatePassword(usernameOfTenant(body), askedBy(body, origin)),
    }));
  }

  @Post('set-public-key')
  @HttpCode(200)
  @RouteConfig({ multilineFields: new Set(['publicKey']) })
  setPublicKey(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<PortalAccount> {
    return answered(async () => {
      if (!body.publicKey) throw invalidField('publicKey', 'is missing');
      return shown(await this.credentials.registerPublicKey(usernameOfTenant(body), body.publicKey, askedBy(body, origin)));
    });
  }

  /** Whether the person holds the key that is registered. It opens no session, and changes nothing. */
  @Post('try-public-key')
  @HttpCode(200)
  @RouteConfig({ multilineFields: new Set(['signature']) })
  tryPublicKey(@Body() body: PortalAccountBody): Answer<{ verifies: boolean }> {
    return answered(async () => {
      const { username, publicKey } = await this.credentials.find(usernameOfTenant(body));
      if (!publicKey) throw invalidField('publicKey', 'is not registered yet');
      const verifies = isSignedBy(
        publicKey,
        keyTrialText(username, given('nonce', body.nonce)),
        given('signature', body.signature),
      );
      return { verifies };
    });
  }

  @Post('require-challenge')
  @HttpCode(200)
  requireChallenge(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<PortalAccount> {
    return answered(async () => {
      const isRequired = given('challengeRequired', body.challengeRequired);
      return shown(await this.credentials.requireChallenge(usernameOfTenant(body), isRequired, askedBy(body, origin)));
    });
  }

  @Post('bind-to-sources')
  @HttpCode(200)
  bindToSources(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<PortalAccount> {
    return answered(async () => {
      const sources = given('sourceAddresses', body.sourceAddresses);
      return shown(await this.credentials.bindToSources(usernameOfTenant(body), sources, askedBy(body, origin)));
    });
  }

  /** Cannot be undone. The portal has made sure that its people want it. */
  @Post('enable-bearer')
  @HttpCode(200)
  enableBearer(@Body() body: PortalAccountBody, @InternalOrigin() origin: Origin): Answer<PortalAccount> {
    return answered(async () => shown(await this.credentials.enableBearer(usernameOfTenant(body), askedBy(body, origin))));
  }
}

function askedBy({ actor }: PortalAccountBody, origin: Origin): Origin {
  return { ...origin, actor: `portal ${actor}` };
}

/** @throws DomainError 400 for a field that this operation needs */
function given<T>(field: string, value: T | null | undefined): T {
  if (value === undefined || value === null) throw invalidField(field, 'is missing');
  return value;
}

function shown(account: Account): PortalAccount {
  const { username, mode, hasPassword, challengeRequired, sourceAddresses, publicKeySha256, passwordChangedAt } = viewOf(account);
  return { username, mode, hasPassword, challengeRequired, sourceAddresses, publicKeySha256, passwordChangedAt };
}
