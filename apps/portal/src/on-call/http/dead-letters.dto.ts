import { deadLettersMax } from '@paycode/dto';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { type LetterService, letterServices } from '../domain/letter-selection';

export class LettersQuery {
  /** Of one service alone. */
  @IsOptional()
  @IsIn(letterServices)
  service?: LetterService;

  /** With `service`: letters older than this one. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before?: number;
}

export class LetterRefBody {
  @IsIn(letterServices)
  service!: LetterService;

  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  letterId!: number;
}

export class LettersBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(deadLettersMax)
  @ValidateNested({ each: true })
  @Type(() => LetterRefBody)
  letters!: LetterRefBody[];
}

export class RedriveRequestBody extends LettersBody {
  /** The person's own password. */
  @IsString()
  @Length(1, 200)
  current!: string;
}

export class RedriveConfirmBody {
  @IsUUID()
  requestId!: string;

  @IsString()
  @Length(1, 200)
  current!: string;
}
