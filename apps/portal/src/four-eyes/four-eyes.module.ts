import { Module } from '@nestjs/common';
import { FourEyesService } from './four-eyes.service';
import { FourEyesStore } from './four-eyes.ports';
import { FourEyesController } from './http/four-eyes.controller';
import { PostgresFourEyesStore } from './persistence/postgres-four-eyes.store';

/** What takes two people. */
@Module({
  controllers: [FourEyesController],
  providers: [{ provide: FourEyesStore, useClass: PostgresFourEyesStore }, FourEyesService],
  exports: [FourEyesService],
})
export class FourEyesModule {}
