import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Resealed, ResealKeysService } from './reseal-keys.service';

/** `paycode keys reseal`: after a new key-encryption key was put first in KEY_ENCRYPTION_KEYS. */
@Controller('internal/webhook-keys')
export class WebhookKeysController {
  constructor(private readonly keys: ResealKeysService) {}

  @Post('reseal')
  @HttpCode(200)
  reseal(@Req() request: FastifyRequest): Promise<Resealed> {
    return this.keys.reseal({ actor: 'operator', requestId: String(request.id) });
  }
}
