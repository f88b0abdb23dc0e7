import { IsString, Length } from 'class-validator';

/** The person's own password, so that a stolen session alone changes nothing here (T-52). */
export class CurrentPasswordBody {
  @IsString()
  @Length(1, 1_000)
  current!: string;
}
