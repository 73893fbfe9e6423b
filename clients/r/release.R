# Reads a release of anond (level L2) with base R, and counts: r <- read_release("releases"); see docs/ANALYSTS.md.
read_release <- function(path) {
  if (file.exists(file.path(path, "CURRENT"))) path <- file.path(path, readLines(file.path(path, "CURRENT")))
  table <- function(name) {
    parts <- lapply(list.files(path, "^part-"), function(part) { rows <- read.csv(
      file.path(path, part, name), colClasses = "character", na.strings = NULL, check.names = FALSE, encoding = "UTF-8")
      cbind(part = rep(part, nrow(rows)), rows) }) # a part may have no rows: all of its buckets have left
    all <- unique(unlist(lapply(rev(parts), names))) # settings may have changed: NA is a column that a part does not have
    do.call(rbind, lapply(parts, function(rows) {
      for (x in setdiff(all, names(rows))) rows[[x]] <- rep(NA_character_, nrow(rows))
      rows[all] }))
  }
  rows <- table("data.csv") # a person each; cells are texts
  values <- table("values.csv") # how often each value of each attribute is in each bucket
  rows$bag <- paste(rows$part, rows$bucket) # numbers of buckets begin at 1 in each part
  values$bag <- paste(values$part, values$bucket)
  values$count <- as.integer(values$count)
  list(rows = rows, values = values, hierarchies = file.path(dirname(path), "hierarchies"))
}
# Which part of the cells of a number lies in [lo,hi]; grain is 1 for integers, 0 for decimals. "?" is no number; NA may be any value.
inside <- function(cells, lo, hi, grain = 1) {
  text <- strsplit(sub("\\|\\?$", "", gsub("\\[|\\]", "", cells)), ",")
  a <- suppressWarnings(as.numeric(sapply(text, `[`, 1)))
  b <- suppressWarnings(as.numeric(sapply(text, function(x) x[length(x)])))
  part <- ifelse(a == b, a >= lo & a <= hi, pmax(0, pmin(b, hi) - pmax(a, lo) + grain) / (b - a + grain))
  ifelse(is.na(cells), 0.5, ifelse(is.na(part), 0, part * ifelse(grepl("\\|\\?$", cells), 0.5, 1)))
}
# Which part of the cells of a category is one of the values; leaves names those below each label (leaves_of, of several files joined by c).
among <- function(cells, values, leaves = list()) sapply(cells, function(x) if (is.na(x)) 0.5 else mean((
  if (x %in% names(leaves)) leaves[[x]] else strsplit(gsub("^\\{|\\}$", "", x), "|", fixed = TRUE)[[1]]) %in% values), USE.NAMES = FALSE)
leaves_of <- function(file) { lines <- strsplit(readLines(file, encoding = "UTF-8"), ";", fixed = TRUE)
  with(stack(setNames(lines, sapply(lines, `[`, 1))), lapply(split(as.character(ind), values), unique)) }
# How many people meet a condition (part, by row) and have the value: by shares, with bounds that hold whatever is behind the release.
# With histories: in any record, or in those that are named (records = 1: in the first).
count <- function(r, part, attribute, value, records = seq_along(r$values)) {
  history <- r$values[grep("^value(_[0-9]+)?$", names(r$values))]
  have <- Reduce(`|`, lapply(history[intersect(records, seq_along(history))], `%in%`, value))
  asked <- r$values[r$values$attribute == attribute & have, ]
  by <- function(x) tapply(x, r$rows$bag, sum)
  n <- by(rep(1, length(part))); h <- tapply(asked$count, factor(asked$bag, names(n)), sum, default = 0)
  any <- !(names(n) %in% r$values$bag[r$values$attribute == attribute]) # buckets without the attribute: any value, as often as elsewhere
  c(estimate = sum(by(part) * ifelse(any, sum(h) / max(1, sum(n[!any])), h / n)), lower = sum(pmax(0, by(part == 1) + h - n)),
    upper = sum(pmin(by(part > 0), ifelse(any, n, h))))
}
