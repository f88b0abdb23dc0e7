import { IsOptional, IsUUID } from 'class-validator';
import { TenantBody } from '../../accounts';

/** Body of the portal's calls about the sessions of an account. */
export class PortalSessionsBody extends TenantBody {
  @IsOptional()
  @IsUUID()
  sessionId?: string;
}
