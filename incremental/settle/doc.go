// Package settle keeps the histories of people that are still open: who is observed, until when, and what came of them so far.
//
// Guarantee: a person is observed for the same time as everybody else, from the first message about them on, and is handed out once,
// when that time is over, with a stratum. Which message is looked at, when a window ends and which stratum a person is of follow
// from arrivals, from kinds of messages and from public faults alone. This package imports nothing that knows values: a row is a run
// of bytes to it, and whether one is valid is asked only of a message that is looked at.
//
// # Rule U (units), and why each part of it
//
// Claim (Theorem DS). If each person is published once, by what arrived of them in the window, and pools, classes and buckets hold
// one stratum each, then for every prior that is exchangeable inside strata, whatever a person's messages have to do with each other:
// P(record = v | all releases) = count_B(v)/|B|. If windows are equal, that holds even if whether an update came depends on the value.
//
// Proof. Take the whole history of a person for the value of Theorem E (package pools). What is needed is that exchanging the whole
// histories of two people of one stratum, who are in one pool, leaves everything as it is that was decided before values are looked
// at: who is in which pool, and when. Each rule below is what makes one of these a function of what is exchanged with nothing or
// with its like. QED
//
//   - A window begins with the first message about a person of any kind, and ends For later by the log's own time stamps, or after so
//     many messages read, refused ones included. Both follow from arrivals. A window that ends with a cut, or with the time at which
//     somebody reads, is longer for some: among people of one pool those who were observed longer have had more time for an update, and
//     who has none is told apart (.983 and .958 for 1/2). With messages counted, times differ, so there the second claim is not made.
//     Nor where windows end with the source.
//   - A message counts if its own stamp is less than For after the first one's, and if it is read before the window is seen to have
//     ended. What comes later changes nothing, also while the person waits for a pool (else .99998 for 1/2): it is beyond.
//     Of somebody whose messages come from several places, those count that come where the first one did, whose clock the window goes by.
//   - Who has fewer inserts than others, up to max, is of another stratum: with lengths mixed in a pool, whoever has a short history has
//     none of the long ones (1.0 for 1/2).
//   - Inserts past max (Rule.Max, 1 without histories) are not looked at, not even for validity: otherwise whether the second one was
//     valid, which follows from a value, decides who is in the pool (.667 for 1/2).
//   - Who has a record refused for its sensitive value, among those that are looked at, is beyond as a whole: a refusal that a stratum
//     shows tells that the value was none of the valid ones (30/31 for 1/2).
//   - A fault outside the sensitive attributes is public, and so a part of the stratum. It takes no place among the first max.
//   - An update counts because it came, whether it changes something or not, is applied or refused, or concerns a record that is not
//     shown: counting only what changes tells a value that changed (1.0); mixing those with updates and those without tells who is
//     likelier to have been corrected (31/32 to 81/82).
//   - Of a message that cannot be read nobody knows whether it is an insert past the first or an update with a bad value. Inside the
//     window its person is taken out. For inserts past the first that looks at validity after all: who sends unreadable messages
//     must not follow from a value where a feed has updates and people with several records.
//   - A delete inside the window takes the person out; later it changes nothing (else .800 for 1/2).
//   - Whoever was taken out, or has nothing to show when the window ends, is known for ever by the machine: nobody has a second start
//     (1.0 for 1/2).
//   - What counts as valid may grow with a hierarchy of a sensitive attribute. All messages of a person that are looked at are judged by
//     one version: a person of whom one arrives under another version is taken out. Who was judged by the version before the present
//     one, when the window ends, is of a stratum apart, since nobody of it can have a new value; two versions before: beyond.
//
// What is public besides, and excluded as quasi-identifiers are: times inside the window, how many inserts came past max, and how
// many updates came, in which order and of which record.
//
// # Cost
//
// A message costs a look-up of its person and a decoding of the history, and one that changes it an encoding. Memory: 43 bytes of a person
// with one record of eight values that others have too, 31 a record of histories of two (TestHeapOfOpenHistories); a value
// that nobody else has costs its length. Where many end at once they are handed out one by one.
//
// # Source
//
// docs/PROOFS.md, Theorem DS.
package settle
