import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import {
  type Addressee,
  IsId,
  type OwnersRequest,
  type PersonProof,
  type PersonProofRequest,
  type PortalAnswer,
} from '@paycode/dto';
import { answered } from '@paycode/service-runtime';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, Matches, ValidateNested } from 'class-validator';
import { ProofService } from './proof.service';

export class ProofBody implements PersonProofRequest {
  @Matches(/^[A-Za-z0-9_-]{43}$/, {
    message: 'secret must be the secret of a session, an invitation or an alert: 43 characters of base64url',
  })
  secret!: string;
}

class TenantBody {
  @IsId()
  merchantId!: number;

  @IsOptional()
  @IsId()
  pspId!: number | null;
}

const tenantsMax = 100;

export class OwnersBody implements OwnersRequest {
  @IsArray()
  @ArrayMaxSize(tenantsMax)
  @ValidateNested({ each: true })
  @Type(() => TenantBody)
  tenants!: TenantBody[];
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

  /** Lets recipient-messages mail the invitation: the key of the portal alone has nobody mailed (T-25). */
  @Post('invitation')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  proveInvited(@Body() { secret }: ProofBody): Promise<PortalAnswer<PersonProof>> {
    return answered(() => this.proofs.proveInvited(secret));
  }

  /** Lets recipient-messages mail the alert, to the address that the portal's table has for the person (T-25). */
  @Post('alert')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  proveAlerted(@Body() { secret }: ProofBody): Promise<PortalAnswer<PersonProof>> {
    return answered(() => this.proofs.proveAlerted(secret));
  }

  /** For notification-config, which has owners mailed about changes (T-15). */
  @Post('owners')
  @HttpCode(200)
  owners(@Body() request: OwnersBody): Promise<Addressee[][]> {
    return this.proofs.owners(request);
  }
}
