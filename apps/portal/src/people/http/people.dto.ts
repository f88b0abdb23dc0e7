import { IsEmail, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { type Role, roles, type TenantType, tenantTypes } from '../domain/person';

export class InviteBody {
  @IsEmail({ require_tld: false })
  @Length(3, 254)
  email!: string;

  @IsString()
  @Length(1, 100)
  name!: string;

  @IsIn(roles)
  role!: Role;
}

export class CreatePersonBody extends InviteBody {
  @IsIn(tenantTypes)
  tenantType!: TenantType;

  @IsString()
  @Length(0, 100)
  tenantId!: string;

  @IsOptional()
  @IsString()
  @Length(12, 128)
  password?: string;
}

export class TenantQuery {
  @IsIn(tenantTypes)
  tenantType!: TenantType;

  @IsOptional()
  @IsString()
  @Length(0, 100)
  tenantId?: string;
}
