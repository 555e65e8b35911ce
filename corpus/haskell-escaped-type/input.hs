{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE GADTs, LambdaCase #-}
{-# OPTIONS_GHC -Wall #-}

-- | The animals of a small zoo: what they eat, who feeds them, and what that costs.
module Zoo
  ( Animal (..)
  , Zoo
  , feed
  , report
  ) where

import Control.Monad (forM_, unless, when)
import Data.IORef
import Data.List (foldl', intercalate, sortBy)
import qualified Data.Map.Strict as Map
import Data.Maybe (fromMaybe, mapMaybe)
import Data.Ord (comparing)

infixr 5 +++

type Name = String

newtype Cents = Cents { cents :: Int }
  deriving (Eq, Ord)

instance Show Cents where
  showsPrec _ (Cents n) = shows whole . showChar '.' . showString (pad part)
    where
      (whole, part) = n `divMod` 100
      pad k
        | k < 10 = '0' : show k
        | otherwise = show k

instance Semigroup Cents where
  Cents a <> Cents b = Cents (a + b)

instance Monoid Cents where
  mempty = Cents 0

data Diet
  = Hay
  | Meat { raw :: Bool, grams :: !Int }
  | Mixed [Diet]
  deriving (Eq, Show)

-- | What can be eaten; each kind has its own unit.
class Food f where
  unit :: f -> String
  price :: f -> Int -> Cents
  price _ n = Cents (10 * n)
  {-# MINIMAL unit #-}

data Bale = Bale

data Steak = Steak { fat :: Double, bones :: Maybe Int }

instance Food Bale where
  unit Bale = "bale"

instance Food Steak where
  unit s | fat s > 0.3 = "fat piece"
         | otherwise = "piece"
  price s n = Cents (n * maybe 250 (subtract 20) (bones s))

data Portion = forall f. Food f => Portion Int f

data Animal = Animal
  { name :: Name
  , diet :: Diet
  , hunger :: Int
  , keeper :: Maybe Name
  }

data Event a where
  Fed :: Name -> Event Cents
  Escaped :: Name -> Int -> Event Bool
  Both :: Event a -> Event b -> Event (a, b)

type Zoo = Map.Map Name Animal

(+++) :: [a] -> [a] -> [a]
[] +++ ys = ys
(x : xs) +++ ys = x : xs +++ ys

result :: Zoo -> Event a -> a
result zoo event = case event of
  Fed who -> maybe mempty (cost . portions . diet) (Map.lookup who zoo)
  Escaped who height -> height > 2 && Map.member who zoo
  Both a b -> (result zoo a, result zoo b)

portions :: Diet -> [Portion]
portions = \case
  Hay -> [Portion 2 Bale]
  Meat { raw = isRaw, grams = g } ->
    let pieces = max 1 (g `div` 500)
        steak = Steak { fat = if isRaw then 0.35 else 0.1, bones = Nothing }
     in [Portion pieces steak]
  Mixed diets -> concatMap portions diets

cost :: [Portion] -> Cents
cost = foldl' (\sum' (Portion n food) -> sum' <> price food n) mempty

-- | The portions of the largest count come first.
largest :: [Portion] -> String
largest list =
  case sortBy (comparing (\(Portion n _) -> negate n)) list of
    [] -> "nothing"
    first : rest ->
      let count = length rest
          size = weigh (wrap first)
       in shows size " pieces" ++ (if count > 0 then " and " ++ show count ++ " more" else "")
  where
    wrap (Portion n food) = Weighed n food

data Weighed f = Weighed Int f

weigh :: Weighed f -> Int
weigh (Weighed n _) = 3 * n

feed :: IORef Zoo -> Name -> IO Cents
feed ref who = do
  zoo <- readIORef ref
  let animal = fromMaybe (error ("no " ++ who)) (Map.lookup who zoo)
      left = max 0 (hunger animal - 1)
  when (left == 0) $
    putStrLn (who ++ " has had enough")
  unless (left > 9) . modifyIORef' ref $ Map.insert who animal { hunger = left }
  pure $! result zoo (Fed who)

report :: Zoo -> IO ()
report zoo = do
  forM_ (zip [1 :: Int ..] (Map.elems zoo)) $ \(number, animal) -> do
    let eats = intercalate ", " [unit food ++ "s" | Portion n food <- portions (diet animal), n > 1]
    putStrLn (show number ++ ". " ++ name animal ++ ": " ++ eats +++ "; " +++ largest (portions (diet animal)))
  let keepers = mapMaybe keeper (Map.elems zoo)
      total = cost [p | a <- Map.elems zoo, p <- portions (diet a)]
  putStrLn $ "keepers: " <> show (length keepers) <> ", total: " <> show total
