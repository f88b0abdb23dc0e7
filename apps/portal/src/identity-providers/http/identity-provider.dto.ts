import { IsIn, IsString, Length, Matches } from 'class-validator';
import { type TenantType, tenantTypes } from '../../people/domain/person';

export class IdentityProviderBody {
  @IsIn(tenantTypes)
  tenantType!: TenantType;

  /** Merchant or PSP id, name of the acquirer; empty for operators. */
  @IsString()
  @Length(0, 100)
  tenantId!: string;

  @IsString()
  @Length(1, 500)
  issuer!: string;

  @IsString()
  @Length(1, 200)
  clientId!: string;

  @IsString()
  @Length(1, 500)
  clientSecret!: string;
}

export class CompanyParam {
  @Matches(/^[a-z0-9][a-z0-9-]{1,39}$/, { message: 'company must be 2 to 40 small letters, digits and hyphens' })
  company!: string;
}
