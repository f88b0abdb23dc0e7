import { type DynamicModule, Module } from '@nestjs/common';
import { AuthorizeModule } from './authorize.module';
import { ExternalAuthorizationController } from './http/external-authorization.controller';
import { ProxyTokens } from './http/proxy-token.guard';

/** `authorize` for Envoy, nginx or Traefik in place of api-gateway (architecture 5). */
@Module({})
export class ExternalAuthorizationModule {
  static register({ tokens }: { tokens: readonly string[] }): DynamicModule {
    return {
      module: ExternalAuthorizationModule,
      imports: [AuthorizeModule],
      controllers: [ExternalAuthorizationController],
      providers: [{ provide: ProxyTokens, useFactory: () => new ProxyTokens(tokens) }],
    };
  }
}
