import { type DynamicModule, Module } from '@nestjs/common';
import { ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { ErasureModule } from '@paycode/erasure';
import { ConsumingModule, DeadLettersModule, eventsOptionsOf } from '@paycode/events';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import { migrations } from '../migrations';
import type { Settings } from './config/env';
import { messagesOptionsOf } from './config/messages-options';
import { storedMessages } from './erasure';
import { MessagesModule } from './messages';

/** E-mails and short messages to merchants' recipients, beside webhooks and without effect on payments (R-1-8, R-6.2-3). */
@Module({})
export class AppModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('recipient-messages', tokenKeyOptionsOf(settings)),
        DatabaseModule.forRoot('recipient-messages', { ...connectionOptionsOf(settings), migrations }),
        DeadLettersModule,
        ConsumingModule.forRoot('recipient-messages', eventsOptionsOf(settings)),
        MessagesModule.register(messagesOptionsOf(settings)),
        ErasureModule.register({ source: storedMessages, payloadKeys: settings.PAYLOAD_KEYS }),
      ],
    };
  }
}
