import type { AuthorizeRequest } from '@paycode/dto';
import { IsArray, IsString, MaxLength } from 'class-validator';

export class AuthorizeBody implements AuthorizeRequest {
  @IsString()
  @MaxLength(32)
  method!: string;

  @IsString()
  @MaxLength(16_384)
  path!: string;

  @IsArray()
  @IsString({ each: true })
  authorization!: string[];

  @IsString()
  @MaxLength(128)
  address!: string;

  @IsString()
  @MaxLength(128)
  requestId!: string;
}
