/** An animal as the table has it; integers are texts. */
export interface StoredAnimal {
  readonly id: string;
  readonly name: string;
  readonly categoryId: string;
  readonly status: string;
}
