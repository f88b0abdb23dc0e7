import { type DynamicModule, Module } from '@nestjs/common';
import type { GatewayEnv } from './config/env';
import { forwardingOptionsOf } from './config/forwarding-options';
import { ForwardingModule } from './forwarding';

@Module({})
export class AppModule {
  static forRoot(env: GatewayEnv): DynamicModule {
    return { module: AppModule, imports: [ForwardingModule.register(forwardingOptionsOf(env))] };
  }
}
