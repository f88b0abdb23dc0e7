import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { KeyRing } from '@paycode/crypto';
import { HttpInvitationMailer } from './clients/http-invitation.mailer';
import { PeopleController } from './http/people.controller';
import { SandboxOnly } from './http/sandbox-only';
import { InvitePersonService, PORTAL_URL } from './invite-person.service';
import { Passwords } from './passwords';
import { InvitationMailer, PeopleStore } from './people.ports';
import { PostgresPeopleStore } from './persistence/postgres-people.store';
import { Totp } from './totp';

/** The connection to recipient-messages, which mails people. */
export const MAIL_CLIENT = Symbol('MAIL_CLIENT');

@Global()
@Module({})
export class PeopleModule implements OnApplicationShutdown {
  constructor(@Inject(MAIL_CLIENT) private readonly client: InternalClient) {}

  static register(options: PeopleOptions): DynamicModule {
    return {
      module: PeopleModule,
      controllers: [PeopleController],
      providers: [
        {
          provide: MAIL_CLIENT,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new InternalClient({
              baseUrl: options.recipientMessagesUrl,
              audience: 'recipient-messages',
              signer,
              socketsMax: 2,
              isRepeatable: true,
            }),
        },
        { provide: PeopleStore, useClass: PostgresPeopleStore },
        {
          provide: InvitationMailer,
          inject: [MAIL_CLIENT],
          useFactory: (client: InternalClient) => new HttpInvitationMailer(client),
        },
        { provide: PORTAL_URL, useValue: `${new URL(options.publicBaseUrl).origin}/console` },
        { provide: SandboxOnly, useFactory: () => new SandboxOnly(options.environment) },
        { provide: Totp, useFactory: () => new Totp(KeyRing.parse(options.keyEncryptionKeys)) },
        Passwords,
        InvitePersonService,
      ],
      exports: [PeopleStore, Passwords, Totp, InvitePersonService, MAIL_CLIENT, PORTAL_URL],
    };
  }

  onApplicationShutdown(): void {
    this.client.close();
  }
}

export interface PeopleOptions {
  environment: 'sandbox' | 'production';
  /** Base URL at which browsers reach the gateway. */
  publicBaseUrl: string;
  /** Internal base URL of recipient-messages, which mails invitations. */
  recipientMessagesUrl: string;
  /** Keys that seal secrets of authenticator apps, `kid:base64,kid:base64` of 32 bytes each. */
  keyEncryptionKeys: string;
}
