import { type Channel, channels } from '@paycode/dto';
import { IsIn, IsOptional, IsString, Length } from 'class-validator';

export class UrlBody {
  @IsString()
  @Length(1, 2_048)
  url!: string;
}

export class CheckBody {
  @IsOptional()
  @IsString()
  @Length(1, 2_048)
  url?: string;
}

export class RecipientBody {
  @IsIn(channels)
  type!: Channel;

  @IsString()
  @Length(1, 254)
  value!: string;
}
