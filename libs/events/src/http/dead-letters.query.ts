import { deadLettersMax } from '@paycode/dto';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsOptional, Max, Min } from 'class-validator';

export class DeadLettersQuery {
  /** Letters older than this one. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before: number = Number.MAX_SAFE_INTEGER;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(deadLettersMax)
  limit: number = deadLettersMax;
}

export class DeadLetterIdsBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(deadLettersMax)
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(Number.MAX_SAFE_INTEGER, { each: true })
  letterIds!: number[];
}
