import type { PortalFourEyesNotice } from '@paycode/dto';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsEmail,
  IsISO8601,
  IsString,
  IsUrl,
  IsUUID,
  Length,
  ValidateNested,
} from 'class-validator';

class AddresseeBody {
  @IsEmail({ require_tld: false })
  email!: string;

  @IsString()
  @Length(1, 100)
  name!: string;
}

export class FourEyesBody implements PortalFourEyesNotice {
  @IsUUID()
  requestId!: string;

  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => AddresseeBody)
  to!: AddresseeBody[];

  @IsString()
  @Length(1, 200)
  askedBy!: string;

  @IsString()
  @Length(1, 200)
  what!: string;

  @IsString()
  @Length(1, 200)
  tenant!: string;

  @IsUrl({ require_tld: false, protocols: ['https'], require_protocol: true })
  @Length(1, 500)
  link!: string;

  @IsISO8601()
  expiresAt!: string;
}
