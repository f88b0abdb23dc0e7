import type { PortalInvitation } from '@paycode/dto';
import { IsEmail, IsISO8601, IsString, IsUrl, IsUUID, Length } from 'class-validator';

export class InvitationBody implements PortalInvitation {
  @IsUUID()
  invitationId!: string;

  @IsEmail({ require_tld: false })
  email!: string;

  @IsString()
  @Length(1, 100)
  name!: string;

  @IsUrl({ require_tld: false, protocols: ['https'], require_protocol: true })
  @Length(1, 500)
  link!: string;

  @IsString()
  @Length(1, 200)
  invitedBy!: string;

  @IsString()
  @Length(1, 200)
  tenant!: string;

  @IsISO8601()
  expiresAt!: string;
}
