import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from '@paycode/timing';

@Module({})
export class ClockModule {
  static forRoot({ clock }: { clock: Clock }): DynamicModule {
    return { module: ClockModule, global: true, providers: [{ provide: Clock, useValue: clock }], exports: [Clock] };
  }
}
