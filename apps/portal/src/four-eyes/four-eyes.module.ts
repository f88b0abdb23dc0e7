import { Module } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import { MAIL_CLIENT } from '../people';
import { HttpFourEyesMailer } from './clients/http-four-eyes.mailer';
import { FourEyesService } from './four-eyes.service';
import { FourEyesMailer, FourEyesStore } from './four-eyes.ports';
import { FourEyesController } from './http/four-eyes.controller';
import { PostgresFourEyesStore } from './persistence/postgres-four-eyes.store';
import { TellSecondPeopleService } from './tell-second-people.service';

/** What takes two people. */
@Module({
  controllers: [FourEyesController],
  providers: [
    { provide: FourEyesStore, useClass: PostgresFourEyesStore },
    {
      provide: FourEyesMailer,
      inject: [MAIL_CLIENT],
      useFactory: (client: InternalClient) => new HttpFourEyesMailer(client),
    },
    TellSecondPeopleService,
    FourEyesService,
  ],
  exports: [FourEyesService],
})
export class FourEyesModule {}
