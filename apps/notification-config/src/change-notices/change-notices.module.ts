import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { ChangeNoticeMailer, ChangeNoticeStore } from './change-notices.ports';
import { HttpChangeNoticeMailer } from './clients/http-change-notice.mailer';
import { HandOverNoticesService } from './hand-over-notices.service';
import { HandOverNoticesJob } from './jobs/hand-over-notices.job';
import { PostgresChangeNoticeStore } from './persistence/postgres-change-notice.store';

const messagesClient = Symbol('messagesClient');

@Module({})
export class ChangeNoticesModule implements OnApplicationShutdown {
  constructor(@Inject(messagesClient) private readonly client: InternalClient) {}

  static register({ recipientMessagesUrl }: { recipientMessagesUrl: string }): DynamicModule {
    return {
      module: ChangeNoticesModule,
      providers: [
        HandOverNoticesService,
        HandOverNoticesJob,
        { provide: ChangeNoticeStore, useClass: PostgresChangeNoticeStore },
        {
          provide: messagesClient,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new InternalClient({ baseUrl: recipientMessagesUrl, audience: 'recipient-messages', signer, socketsMax: 2 }),
        },
        {
          provide: ChangeNoticeMailer,
          inject: [messagesClient],
          useFactory: (client: InternalClient) => new HttpChangeNoticeMailer(client),
        },
      ],
    };
  }

  onApplicationShutdown(): void {
    this.client.close();
  }
}
