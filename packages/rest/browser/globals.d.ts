interface JSON {
  rawJSON(text: string): object;
}
