import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import type { PersonProof, PersonProofRequest, PortalAnswer } from '@paycode/dto';
import { answered } from '@paycode/service-runtime';
import { Matches } from 'class-validator';
import { ProofService } from './proof.service';

export class ProofBody implements PersonProofRequest {
  @Matches(/^[A-Za-z0-9_-]{43}$/, { message: 'secret must be the secret of a session: 43 characters of base64url' })
  secret!: string;
}

/**
 * Asserts who is signed in to the portal's pages, so that the other services need not believe the portal (T-27). The secret of the cookie is the
 * proof: the portal's own key opens no session.
 */
@Controller('internal/console')
export class ProofController {
  constructor(private readonly proofs: ProofService) {}

  @Post('proof')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  prove(@Body() { secret }: ProofBody): Promise<PortalAnswer<PersonProof>> {
    return answered(() => this.proofs.prove(secret));
  }
}
